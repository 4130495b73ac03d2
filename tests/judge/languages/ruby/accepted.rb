words = $stdin.read.split
puts words.drop(1).sum(&:to_i)
