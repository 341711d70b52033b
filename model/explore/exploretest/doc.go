// Package exploretest has what the tests of all models need: to take the steps of a story one by
// one, and to look at every state.
package exploretest
