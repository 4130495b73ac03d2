-- assize-speed-ms: 150
import Control.Exception (IOException, try)
import Data.Bits ((.&.))
import Data.List (foldl')
import qualified Data.Map as Map

step :: Int -> Int
step x = (x * 1103515245 + 12345) .&. 0x7fffffff

forever' :: Int -> IO ()
forever' x = if x < 0 then putStrLn "never" else forever' (step x)

isRefused :: IO Bool
isRefused = do
  got <- try (readFile "/etc/passwd" >>= \text -> return $! length text) :: IO (Either IOException Int)
  return (either (const True) (const False) got)

main :: IO ()
main = do
  word <- fmap (head . words) getContents
  case word of
    "time" -> forever' 1
    "memory" -> print (Map.size (Map.fromList [(i, show i) | i <- [1 .. 3000000 :: Int]]))
    "crash" -> error "on purpose"
    "forbidden" -> isRefused >>= \refused -> putStrLn (if refused then "refused" else "allowed")
    "speed" -> putStrLn (if foldl' (\x _ -> step x) 1 [1 .. 60000000 :: Int] < 0 then "never" else word)
    _ -> putStrLn word
