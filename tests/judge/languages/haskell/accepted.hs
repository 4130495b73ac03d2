main :: IO ()
main = do
  text <- getContents
  print (sum (map read (tail (words text)) :: [Int]))
