import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { isFinal } from "#plugins/wallets/reconcile/judgeSighting.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

export type SightingToNote = {
	submission: Submission;
	/** Null: it was not asked for by itself, the block that it is in is on the chain. */
	sighting: Sighting | null;
	/** Null: that was said before it was looked at. */
	lookAt?: Date | null;
};

/**
 * Writes down that nodes know transactions, where that changes nothing for their intents: what is
 * needed once no node knows it (when that was, its nonce, its bytes as signed), and that nobody has
 * to look again where it is deep enough. What somebody else moved meanwhile is left alone.
 */
export async function noteSightings(
	deps: ExecutionDeps,
	tx: Tx,
	{ seen, at }: { seen: readonly SightingToNote[]; at: Date },
): Promise<void> {
	if (seen.length === 0) return;
	await tx.execute(
		`update wallets.submission s set seen_at = $1::timestamptz,
			seen_nonce = coalesce(f.nonce, s.seen_nonce),
			from_block = least(coalesce(s.from_block, f.free_at), f.before),
			signed = case when not f.is_final then coalesce(f.signed, s.signed) end,
			look_at = coalesce(f.look_at, s.look_at),
			final_at = case when f.is_final then $1::timestamptz end,
			final_tx = case when f.is_final then core.book_tx() end
		from unnest($2::uuid[], $3::text[], $4::int8[], $5::int8[], $6::bytea[], $7::timestamptz[],
			$8::boolean[], $9::int8[])
			as f (id, state, nonce, free_at, signed, look_at, is_final, before)
		where s.id = f.id and s.state = f.state and s.final_at is null`,
		[
			at,
			seen.map(({ submission }) => submission.id),
			seen.map(({ submission }) => submission.state),
			seen.map(({ sighting }) => sighting?.transaction.nonce ?? null),
			seen.map(({ sighting }) => sighting && freeAt(deps, sighting)),
			seen.map(({ sighting }) => (sighting?.signed ? hexToBytes(sighting.signed) : null)),
			seen.map(({ lookAt }) => lookAt ?? null),
			seen.map(({ sighting }) => sighting !== null && isFinal(deps, sighting)),
			seen.map(({ sighting }) => sighting && notYetMinedAt(sighting)),
		],
	);
}

/** The newest block known not to have it: it was planned no later, whatever head was named then. */
function notYetMinedAt({ receipt, headBlock }: Sighting): number {
	return receipt ? Math.max(0, receipt.blockNumber - 1) : headBlock;
}

/** Whatever block takes it after a reorganisation, so far below its nonce is free. */
function freeAt({ settings }: ExecutionDeps, { receipt, headBlock }: Sighting): number {
	return Math.max(0, (receipt?.blockNumber ?? headBlock) - settings.finalDepthBlocks);
}
