import { z } from "zod";
import type { Knobs } from "#test/sim/schedule/Knobs.ts";

/** What a run of the simulation was asked for. */
export type SimEnvironment = {
	seeds: number[];
	/** True where the seeds are many enough to have met every kind of fault. */
	isWhole: boolean;
	knobs: Partial<Knobs>;
	/** Prints what the product's processes say. */
	talks: boolean;
};

const SEEDS_USUAL = 200;
const SEEDS_PROVING = 2_000;

const schema = z.object({
	SIM_SEED: z.coerce.number().int().min(0).optional(),
	SIM_SEEDS: z.coerce.number().int().min(1).max(1_000_000).optional(),
	SIM_TIMES: z.coerce.number().int().min(1).max(100_000).default(1),
	SIM_LOG: z.string().optional(),
	SIM_KNOBS: z.string().default("{}"),
	PROVE: z.string().optional(),
});

/**
 * Reads what to run from the environment.
 *
 * - `SIM_SEED` replays one seed, `SIM_TIMES` times: what PostgreSQL does at the same moment is not
 *   the seed's to decide, and a race may need several tries.
 * - `SIM_SEEDS` says how many; without it 200, the same each time.
 * - `bun run prove` takes 2,000, others each time: `fresh` is where they begin.
 * - `SIM_LOG=1` prints what the product's processes say.
 * - `SIM_KNOBS` replaces knobs, as JSON.
 */
export function readSimEnvironment(
	env: Readonly<Record<string, string | undefined>>,
	fresh: number,
): SimEnvironment {
	const { SIM_SEED, SIM_SEEDS, SIM_TIMES, SIM_KNOBS, SIM_LOG, PROVE } = schema.parse(env);
	const proving = PROVE === "1";
	const count = SIM_SEEDS ?? (proving ? SEEDS_PROVING : SEEDS_USUAL);
	const first = proving ? fresh : 1;
	const seeds =
		SIM_SEED === undefined
			? Array.from({ length: count }, (_, index) => first + index)
			: Array.from({ length: SIM_TIMES }, () => SIM_SEED);
	const knobs: Partial<Knobs> = JSON.parse(SIM_KNOBS);
	const isWhole = SIM_SEED === undefined && count >= SEEDS_USUAL && SIM_KNOBS === "{}";
	const talks = SIM_LOG === "1";
	return { seeds, isWhole, knobs, talks };
}
