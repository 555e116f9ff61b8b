import type { Clock } from "#core/clock/Clock.ts";
import type { ProviderClient } from "#plugins/custody/createProviderClient.ts";
import { pathSegment } from "#plugins/custody/http/pathSegment.ts";
import { QUORUM_REMEMBERED_MS, QUORUMS_REMEMBERED_MAX } from "#plugins/custody/limits.ts";
import { wire } from "#plugins/custody/wire/wire.ts";

export type Quorums = {
	/** Says whether our key alone signs for a quorum. */
	isOurs(quorumId: string, signal: AbortSignal): Promise<boolean>;
};

/**
 * Asks which key quorums our authorization key signs for: a wallet names its signers by quorum, and
 * only the quorum names keys. Answers are remembered, since most wallets name the same one.
 */
export function createQuorums(options: {
	client: ProviderClient;
	publicKey: string;
	clock: Clock;
}): Quorums {
	const { client, publicKey, clock } = options;
	const known = new Map<string, { isOurs: boolean; atMs: number }>();
	return {
		async isOurs(quorumId, signal) {
			const last = known.get(quorumId);
			if (last && clock.nowMs() - last.atMs < QUORUM_REMEMBERED_MS) return last.isOurs;
			const endpoint = "quorum";
			const path = `/v1/key_quorums/${pathSegment(quorumId)}`;
			const answer = await client.read({ endpoint, path, signal });
			const isOurs = answer !== null && holds(client, answer.json, { quorumId, publicKey });
			// The oldest goes first; a Map keeps the order of insertion.
			known.delete(quorumId);
			const [oldest] = known.keys();
			if (known.size >= QUORUMS_REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
			known.set(quorumId, { isOurs, atMs: clock.nowMs() });
			return isOurs;
		},
	};
}

function holds(
	client: ProviderClient,
	json: unknown,
	{ quorumId, publicKey }: { quorumId: string; publicKey: string },
): boolean {
	const { data } = wire.quorum.safeParse(json);
	if (data === undefined || data.id !== quorumId) throw client.unreadable("quorum");
	// One signature is all we can give.
	if ((data.authorization_threshold ?? 1) > 1) return false;
	return data.authorization_keys.some((key) => bare(key.public_key) === publicKey);
}

/** Returns a key without PEM's first and last line and its line breaks. */
function bare(key: string): string {
	return key.replace(/-----[A-Z ]+-----/g, "").replace(/\s+/g, "");
}
