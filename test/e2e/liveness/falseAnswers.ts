import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import { nodeAnswers } from "#test/e2e/liveness/nodeAnswers.ts";
import { oddNumbers } from "#test/e2e/liveness/oddNumbers.ts";
import { providerAnswers } from "#test/e2e/liveness/providerAnswers.ts";
import { sharedAnswers } from "#test/e2e/liveness/sharedAnswers.ts";

/** Every false answer and event of this suite. To add one, add a row. */
export const falseAnswers: readonly FalseAnswer[] = [
	...nodeAnswers,
	...sharedAnswers,
	...providerAnswers,
	happens("the pool forgets all of a wallet's transactions", "forgets_all"),
	happens("the pool forgets the first of several", "forgets_first"),
	happens("a reorg takes out what is confirmed", "reorg"),
	{
		name: "clock: an hour ahead, for one turn",
		source: "clock",
		about: "all",
		happens: "clock_step",
	},
	...oddNumbers,
];

function happens(name: string, event: FalseAnswer["happens"]): FalseAnswer {
	return {
		name: `chain: ${name}`,
		source: "chain",
		about: "wallet",
		...(event && { happens: event }),
	};
}
