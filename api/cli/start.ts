// Runs the service with the configuration of the environment.
import { launch } from "#api/bundle/launch.ts";

await launch("start");
