import type { Queryable } from "#core/db/Database.ts";
import type { ProviderStreamState } from "#plugins/provider/contract.ts";
import { STATUS_BELIEVED_MS } from "#plugins/provider/stream/limits.ts";

/** How the stream stands in the whole deployment: one process listens, and any may be asked. */
export type StreamStatus = {
	/** What was last learned of the process that listens. */
	state(): ProviderStreamState;
	/** For the process that listens. */
	tell(state: ProviderStreamState): Promise<void>;
	/** For all others. */
	learn(): Promise<void>;
};

const STATES: ReadonlySet<string> = new Set<ProviderStreamState>(["off", "connecting", "live"]);

/**
 * Shared through the database, and by its clock alone. Where nobody says anything the stream is not
 * off, which would mean that nobody wants it: somebody is about to listen.
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
