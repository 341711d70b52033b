package clienttable_test

import (
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// drawMessage draws a message that may well be one that the table has to do with: late,
// repeated, the next, or too early.
func drawMessage(t *rapid.T, made *table) message {
	m := message{Client: client(rapid.Uint64Range(1, 3).Draw(t, "client"))}
	m.User = own
	if rapid.IntRange(0, 9).Draw(t, "stranger") == 0 {
		m.User = stranger
	}
	session, registration, watermark := wire.SessionNumber(made.Op()), uint64(0), uint64(0)
	for _, w := range made.Rows() {
		if w.Client == m.Client {
			session, registration, watermark =
				w.Session, uint64(w.Registration), uint64(w.Watermark)
		}
	}
	around := func(n uint64, name string) uint64 {
		return uint64(max(0, int64(n)+rapid.Int64Range(-3, 3).Draw(t, name)))
	}
	m.Session = session
	if rapid.IntRange(0, 3).Draw(t, "other session") == 0 {
		m.Session = wire.SessionNumber(around(uint64(session), "session"))
	}
	switch rapid.SampledFrom([]string{
		"register", "request", "request", "request", "next", "next", "next", "logout", "resize",
		"other",
	}).Draw(t, "kind") {
	case "register":
		m.Kind, m.Number = clienttable.Register, wire.RequestNumber(around(registration, "number"))
		if made.Config().Shape == clienttable.Upstream {
			m.Number = 0
		}
	case "request":
		m.Kind, m.Number = clienttable.Request, wire.RequestNumber(around(watermark, "number"))
		m.Checksum = sum(rapid.Uint64Range(0, 2).Draw(t, "bytes"))
	case "next":
		m.Kind, m.Number = clienttable.Request, wire.RequestNumber(watermark+1)
		m.Checksum = sum(rapid.Uint64Range(0, 2).Draw(t, "bytes"))
	case "logout":
		m.Kind = clienttable.Logout
	case "resize":
		m = resize(rapid.IntRange(-1, 4).Draw(t, "capacity"))
	case "other":
		m = message{Kind: clienttable.Other}
	}
	return m
}
