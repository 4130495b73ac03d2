# assize-speed-ms: 250
def refused?
  File.read('/etc/passwd')
  false
rescue SystemCallError
  true
end

word = $stdin.read.strip
x = 1
case word
when 'time'
  loop { x = (x * 11_035 + 12_345) & 0xffff }
when 'memory'
  pieces = Array.new(300) { 'x' * (1 << 20) }
  puts pieces.size
when 'crash'
  raise 'on purpose'
when 'forbidden'
  word = refused? ? 'refused' : 'allowed'
when 'speed'
  2_000_000.times { x = (x * 11_035 + 12_345) & 0xffff }
end
puts word
