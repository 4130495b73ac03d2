// assize-speed-ms: 150
package main

import (
	"fmt"
	"os"
)

func isRefused() bool {
	_, err := os.ReadFile("/etc/passwd")
	return err != nil
}

func main() {
	var word string
	fmt.Scan(&word)
	x := uint32(len(word))
	switch word {
	case "time":
		for len(word) > 0 {
			x = x*1103515245 + 12345
		}
	case "memory":
		var pieces [][]byte
		for i := 0; i < 300; i++ {
			piece := make([]byte, 1<<20)
			for at := range piece {
				piece[at] = byte(i)
			}
			pieces = append(pieces, piece)
		}
		fmt.Println(len(pieces))
	case "crash":
		panic("on purpose")
	case "forbidden":
		word = "allowed"
		if isRefused() {
			word = "refused"
		}
	case "speed":
		for i := 0; i < 100000000; i++ {
			x = x*1103515245 + 12345
		}
		if x == 7 {
			word = "never"
		}
	}
	fmt.Println(word)
}
