package conform

import "github.com/viewstamp/viewstamp/model/vsr"

// SettleEvery sets how many ops must have settled before the checker puts them aside; 0 means
// that it keeps all. For a checker that has seen no event.
func (c *Checker) SettleEvery(ops int) { c.every = vsr.Op(ops) }

// ForgottenOps is how many ops of a group the checker has forgotten for good.
func (c *Checker) ForgottenOps(group string) int { return int(c.groups[group].past.gone) }

// SettledOps is how many ops of a group the checker has put aside.
func (c *Checker) SettledOps(group string) int { return int(c.groups[group].past.offset()) }
