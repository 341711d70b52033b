// Package vsr is the core.
package vsr
