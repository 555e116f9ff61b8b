import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { runScript } from "#test/bench/measure/runScript.ts";

const delays = z.array(z.number().positive()).min(1);
const told = z.object({
	/** For so many open bridges: a turn, and the longest that one of them waited for its own. */
	polls: z.object({ open: z.int(), turnMs: z.number(), slowestMs: z.number() }),
	/** From a webhook's post to the record's end. */
	webhookMs: delays,
	/** From a command to its stored quote, and the provider's own part of that. */
	commandMs: delays,
	providerMs: delays,
});

export type BridgeTimes = z.output<typeof told>;

/** Measures bridges between two chains of this machine, in a process of its own. */
export function runBridges({ scope }: { scope: Scope }): Promise<BridgeTimes> {
	return runScript(scope, { script: "measure/bridgeTurns.ts", args: [], told });
}
