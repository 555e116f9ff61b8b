import type { Fault } from "#core/fault/Fault.ts";
import { custodyFault } from "#plugins/wallets/custody/faults.ts";
import type { ProviderAnswer } from "#plugins/wallets/custody/http/createCaller.ts";
import { refusalCode } from "#plugins/wallets/custody/http/refusalCode.ts";

/** What is wrong with an answer to a question; null where it can be read. */
export function faultOfAnswer(answer: ProviderAnswer): Fault | null {
	if (answer.kind === "silent") return custodyFault.unavailable({ detail: answer.detail });
	const { status } = answer;
	const isForm = answer.kind === "answer" && refusalCode(answer.json) !== null;
	if (status === 429) {
		const members = { provider: "wallet-provider" };
		return custodyFault.rateLimited({ detail: `HTTP ${status}`, members });
	}
	if (status >= 500 || status === 408)
		return custodyFault.unavailable({ detail: `HTTP ${status}` });
	if (answer.kind === "unreadable") {
		return custodyFault.unreadable({ detail: `HTTP ${status}: ${answer.detail}` });
	}
	if (status >= 200 && status < 300) return null;
	if (!isForm) return custodyFault.unreadable({ detail: `HTTP ${status}: an odd refusal` });
	return custodyFault.refused({ detail: `HTTP ${status}: ${refusalCode(answer.json)}` });
}
