pieces = Array.new(300) { 'x' * (1 << 20) }
puts pieces.size
