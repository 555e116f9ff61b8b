// Runs the service with the configuration of the environment.
import { launch } from "#api/launch/launch.ts";

await launch("start");
