package vsr

import "fmt"

type Action string

const ActionClientRequest Action = "ClientRequest"

type Replica struct{ votes map[int]bool }

func New() *Replica { return &Replica{} }

func (r *Replica) onRequest() { fmt.Println(r) }
