import type { z } from "zod";
import type { linkOutcomeSchema } from "#plugins/wallets/link/linkSchema.ts";
import { fill } from "#plugins/wallets/link/web/renderTransaction.ts";
import { stateWords } from "#plugins/wallets/link/web/stateWords.ts";

export type OutcomeShown = z.output<typeof linkOutcomeSchema>["intents"][number];

/** Shows an intent as it stands, and its transaction; its state where the page's title has it not. */
export function renderOutcome(
	{ status, errorCode, transactionHash, cancellation, chain }: OutcomeShown,
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
