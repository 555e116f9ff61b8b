// Runs the service; where no chain is configured, with a sandbox chain of its own.
import { launch } from "#api/launch/launch.ts";

await launch("up");
