import type { Queryable } from "#core/db/Database.ts";
import type { ProviderStreamState } from "#plugins/provider/contract.ts";
import { STATUS_BELIEVED_MS } from "#plugins/provider/stream/limits.ts";

/** The stream's state for the whole deployment: one process listens, and any can be asked. */
export type StreamStatus = {
	/** Returns what was last learned of the listening process. */
	state(): ProviderStreamState;
	/** Stores the state; called by the listening process. */
	tell(state: ProviderStreamState): Promise<void>;
	/** Reads the state; called by all others. */
	learn(): Promise<void>;
};

const STATES: ReadonlySet<string> = new Set<ProviderStreamState>(["off", "connecting", "live"]);

/**
 * Shares the state through the database, and by its clock alone. Where no state is stored the
 * stream is not `off`, which would mean disabled: a process is about to listen.
 */
export function createStreamStatus(db: Queryable): StreamStatus {
	let known: ProviderStreamState = "connecting";
	return {
		state: () => known,
		async tell(state) {
			await db.execute(
				`insert into provider.stream_status as kept (state, told_at) values ($1, now())
				on conflict (one) do update set state = excluded.state, told_at = excluded.told_at`,
				[state],
			);
		},
		async learn() {
			const [row] = await db.query<{ state: string }>(
				`select state from provider.stream_status
				where told_at > now() - $1 * interval '1 millisecond'`,
				[STATUS_BELIEVED_MS],
			);
			known = row && isState(row.state) && row.state !== "off" ? row.state : "connecting";
		},
	};
}

function isState(text: string): text is ProviderStreamState {
	return STATES.has(text);
}
