// Bundles a program into one file. Arguments: its source, the file.
import { basename } from "node:path";
import { buildBundle } from "#api/launch/buildBundle.ts";
import { sourcesPrint } from "#api/launch/places.ts";

const [source = "", file = ""] = process.argv.slice(2);
await buildBundle(source, file, () => basename(file).includes(sourcesPrint()));
