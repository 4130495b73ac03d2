package main

import "fmt"

func main() {
	var none []int
	fmt.Println(none[len(none)])
}
