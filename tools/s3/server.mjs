// usage: node server.mjs FOLDER PORT BUCKET
// The S3-compatible server of the tests: @20minutes/s3rver, which checks Signature Version 4.
import S3rver from "@20minutes/s3rver";

const [directory, port, name] = process.argv.slice(2);
const server = new S3rver({
  directory, port: Number(port), address: "127.0.0.1", silent: true, vhostBuckets: false,
  configureBuckets: [{ name, configs: [] }],
});
await server.run();
