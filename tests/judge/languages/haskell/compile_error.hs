main :: IO ()
main = putStrLn 1
