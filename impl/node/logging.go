package node

import (
	"io"
	"log/slog"
)

// NewLog returns the log that a configuration asks for.
func NewLog(config LogConfig, out io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(config.Level)) // Checked; info if it is nothing.
	options := &slog.HandlerOptions{Level: level}
	if config.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}
