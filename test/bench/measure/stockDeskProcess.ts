// Runs the issuer's list and the hosted router of the sandbox in a process of their own: their
// processor time is not the service's. Prints their URLs, as one JSON line. Argument: the URL of
// chain 4663.
import { startRouterEmulator } from "#test/sandbox/stocks/router/startRouterEmulator.ts";
import { startIssuerEmulator } from "#test/sandbox/stocks/startIssuerEmulator.ts";

const [rpcUrl = ""] = process.argv.slice(2);
const issuer = startIssuerEmulator({ rpcUrl });
const router = startRouterEmulator({ rpcUrl });
process.stdout.write(`${JSON.stringify({ issuerUrl: issuer.url, routerUrl: router.url })}\n`);
process.once("SIGTERM", () => process.exit(0));
// If the bench is gone, this process ends too.
process.stdin.once("end", () => process.exit(0));
process.stdin.resume();
