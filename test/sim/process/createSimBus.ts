import type { Bus } from "#core/bus/Bus.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import type { Tally } from "#test/sim/Tally.ts";

/**
 * A bus that loses, doubles and delays hints past each other, as a restarted Redis does. What
 * arrives is kept, for the oracle to compare with what was committed.
 */
export function createSimBus(options: {
	lossRate: number;
	prng: Prng;
	tally: Tally;
	onHint(message: string): void;
}): Bus {
	const { lossRate, prng, tally, onHint } = options;
	let held: string | null = null;
	return {
		publish(_, hint) {
			if (prng.chance(lossRate)) return tally.add("hint_lost");
			if (lossRate > 0 && prng.chance(0.1)) {
				tally.add("hint_doubled");
				onHint(hint);
			}
			if (lossRate > 0 && held === null && prng.chance(0.2)) {
				tally.add("hint_overtaken");
				held = hint;
				return;
			}
			onHint(hint);
			if (held !== null) onHint(held);
			held = null;
		},
		subscribe: () => () => {},
		close: async () => {},
	};
}
