import type { SendOutcome } from "#plugins/custody/contract.ts";
import type { ProviderAnswer } from "#plugins/custody/http/createCaller.ts";
import { refusalCode } from "#plugins/custody/http/refusalCode.ts";
import { UNSENT_CODES } from "#plugins/custody/http/unsentCodes.ts";
import { wire } from "#plugins/custody/wire/wire.ts";

/**
 * Statuses which mean that nothing was done, because who asked, or what was asked for, was refused
 * before the work. They count in the provider's own form only: the page of a proxy proves nothing.
 */
const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403, 404]);

/** Says what an answer to `eth_sendTransaction` proves. What proves nothing is `unknown`. */
export function classifySend(
	answer: ProviderAnswer,
	asked: { caip2: string; referenceId: string },
): SendOutcome {
	if (answer.kind === "silent") return unknown(answer.detail);
	const { status } = answer;
	if (answer.kind === "unreadable") return unknown(`HTTP ${status}: ${answer.detail}`);
	if (status >= 200 && status < 300) return readSent(answer.json, asked);
	const code = refusalCode(answer.json);
	if (code === null) return unknown(`HTTP ${status}: not in the provider's form`);
	const detail = `HTTP ${status}: ${code}`;
	// Whoever speaks of a transaction has one.
	const contradicts = /"(?:data|hash|transaction_hash|transaction_id)":/.test(
		JSON.stringify(answer.json),
	);
	const isProof =
		!contradicts &&
		code !== "transaction_broadcast_failure" &&
		(TURNED_AWAY.has(status) || ((status === 400 || status === 422) && UNSENT_CODES.has(code)));
	if (!isProof) return unknown(detail);
	return { kind: "refused", code: code === "unlisted" ? `http_${status}` : code, detail };
}

function readSent(json: unknown, asked: { caip2: string; referenceId: string }): SendOutcome {
	const { data: read } = wire.sent.safeParse(json);
	if (read === undefined) return unknown("HTTP 200: not what its schema says");
	const { data } = read;
	if (data.caip2 !== asked.caip2) return unknown("HTTP 200: of another chain");
	// Left out it says nothing; another one says that the answer is not ours.
	if (data.reference_id != null && data.reference_id !== asked.referenceId) {
		return unknown("HTTP 200: of another reference");
	}
	if (/^0x0+$/.test(data.hash)) return unknown("HTTP 200: no hash");
	return { kind: "sent", transactionHash: data.hash, transactionId: data.transaction_id ?? null };
}

function unknown(detail: string): SendOutcome {
	return { kind: "unknown", detail };
}
