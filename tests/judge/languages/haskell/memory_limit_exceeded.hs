import qualified Data.Map as Map

main :: IO ()
main = do
  let pieces = Map.fromList [(i, show i) | i <- [1 .. 3000000 :: Int]]
  print (sum (map length (Map.elems pieces)), Map.size pieces)
