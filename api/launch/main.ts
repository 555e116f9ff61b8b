// Bundles a program into one file. Arguments: its source, the file.
import { buildBundle } from "#api/launch/buildBundle.ts";

const [source = "", file = ""] = process.argv.slice(2);
await buildBundle(source, file);
