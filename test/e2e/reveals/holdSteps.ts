import { Client } from "pg";
import { until } from "#test/harness/until.ts";

/** What a held step does to the database: its first write is made to wait. */
const WRITES = {
	ranking: {
		event: "update of rank on market_index.token",
		when: "new.rank is not null",
	},
	buying: { event: "insert on reveal_snipe.fill", when: "true" },
	revealing: {
		event: "update of reveal_state on market_index.collection",
		when: "new.reveal_state = 'revealed' and old.reveal_state <> 'revealed'",
	},
} as const;
export type HeldStep = keyof typeof WRITES;
const KEY = 7_204;

export type HeldSteps = {
	/** Waits until the service is at this step, about to do its first write. */
	reached(step: HeldStep): Promise<void>;
	/** Lets the step go on. */
	release(step: HeldStep): Promise<void>;
	close(): Promise<void>;
};

/**
 * Makes a service wait before each of these steps of a burst, by triggers that wait for a lock
 * which the test holds. So a test can ask the service what it shows between two steps.
 */
export async function holdSteps(connectionString: string): Promise<HeldSteps> {
	const client = new Client({ connectionString });
	// Ignores the error of a connection whose database a failed test drops.
	client.on("error", () => {});
	await client.connect();
	const steps = Object.keys(WRITES) as HeldStep[];
	const keyOf = (step: HeldStep) => KEY + steps.indexOf(step);
	for (const step of steps) {
		const { event, when } = WRITES[step];
		await client.query("select pg_advisory_lock($1)", [keyOf(step)]);
		await client.query(
			`create function public.hold_${step}() returns trigger language plpgsql as $$
			begin perform pg_advisory_xact_lock_shared(${keyOf(step)}); return new; end $$;
			create trigger hold_${step} before ${event}
				for each row when (${when}) execute function public.hold_${step}()`,
		);
	}
	return {
		reached: (step) =>
			until(async () => {
				const { rows } = await client.query(
					`select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
						and database = (select oid from pg_database where datname = current_database())`,
					[keyOf(step)],
				);
				return rows.length > 0;
			}, `the service is ${step}`),
		async release(step) {
			await client.query("select pg_advisory_unlock($1)", [keyOf(step)]);
		},
		close: () => client.end(),
	};
}
