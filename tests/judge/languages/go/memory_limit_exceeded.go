package main

import "fmt"

func main() {
	var pieces [][]byte
	for i := 0; i < 300; i++ {
		piece := make([]byte, 1<<20)
		for at := range piece {
			piece[at] = byte(i)
		}
		pieces = append(pieces, piece)
	}
	fmt.Println(len(pieces))
}
