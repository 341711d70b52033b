// Package canonical writes the canonical text of values as the models have them. It is the form in
// which a state of a model and one of TLC are compared (model/tlc/tlaval writes it of TLC's).
package canonical
