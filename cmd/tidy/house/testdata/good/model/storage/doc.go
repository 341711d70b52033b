// Package storage is the log's model.
package storage
