// Package vsr is the model.
package vsr
