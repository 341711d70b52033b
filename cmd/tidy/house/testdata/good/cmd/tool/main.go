// Command tool does things.
package main

func main() {}
