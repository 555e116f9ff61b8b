import { fill } from "#plugins/link-page/web/renderTransaction.ts";
import { stateWords } from "#plugins/link-page/web/stateWords.ts";
import type { LinkOutcome } from "#plugins/wallets/contract.ts";

/** Shows an intent as it stands, and its transaction; its state unless the page's title has it. */
export function renderOutcome(
	{ status, errorCode, transactionHash, cancellation, chain }: LinkOutcome,
	{ isTitled }: { isTitled: boolean },
): Node {
	const item = document.createElement("li");
	const [state, list] = [document.createElement("p"), document.createElement("dl")];
	const { title, lead } = stateWords(status, errorCode, cancellation);
	state.textContent = `${title}. ${lead}`;
	state.className = "summary";
	state.hidden = isTitled;
	const cancelledBy = cancellation?.transactionHash;
	fill(list, [
		{
			label: "Transaction",
			text: transactionHash ?? "none yet",
			kind: transactionHash ? "mono" : "words",
		},
		...(cancelledBy ? [{ label: "Cancellation", text: cancelledBy, kind: "mono" } as const] : []),
		{ label: "Network", text: `${chain.name} (${chain.id})` },
	]);
	item.append(state, list);
	return item;
}
