// Runs the service with the configuration of the environment.
import { serve } from "#api/cli/serve.ts";
import { readEnvironment } from "#core/config/readEnvironment.ts";

process.exit(await serve(readEnvironment(), async () => {}));
