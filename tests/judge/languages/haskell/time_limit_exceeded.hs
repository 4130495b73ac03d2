loop :: Int -> Int
loop n = if n < 0 then n else loop ((n + 1) `mod` 1000)

main :: IO ()
main = print (loop 0)
