import type { CustodyTrace } from "#plugins/wallets/custody/Custody.ts";
import { wire } from "#plugins/wallets/custody/wire/wire.ts";

const STATUSES: ReadonlyMap<string, CustodyTrace["status"]> = new Map(
	(
		[
			"pending",
			"broadcasted",
			"confirmed",
			"execution_reverted",
			"failed",
			"replaced",
			"finalized",
			"provider_error",
		] as const
	).map((status) => [status, status]),
);

/**
 * What the provider says of one transaction; null where it cannot be read. A status that we do not
 * know is `unknown`, and proves nothing.
 */
export function readTrace(json: unknown): CustodyTrace | null {
	const { data } = wire.transaction.safeParse(json);
	if (data === undefined) return null;
	return {
		transactionId: data.id,
		referenceId: data.reference_id ?? null,
		status: STATUSES.get(data.status) ?? "unknown",
		transactionHash: data.transaction_hash ?? null,
	};
}
