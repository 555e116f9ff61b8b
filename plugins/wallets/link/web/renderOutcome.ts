import type { z } from "zod";
import type { linkOutcomeSchema } from "#plugins/wallets/link/linkSchema.ts";
import { stateWords } from "#plugins/wallets/link/web/stateWords.ts";

export type OutcomeShown = z.output<typeof linkOutcomeSchema>["intents"][number];

/** One intent as it stands, its transaction too; its state where that is not the page's title. */
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
	const row = (label: string, text: string, mono = false) => {
		const [term, value] = [document.createElement("dt"), document.createElement("dd")];
		term.textContent = label;
		value.textContent = text;
		if (mono) value.className = "mono";
		list.append(term, value);
	};
	row("Transaction", transactionHash ?? "none yet", transactionHash !== null);
	if (cancellation?.transactionHash) row("Cancellation", cancellation.transactionHash, true);
	row("Network", `${chain.name} (${chain.id})`);
	item.append(state, list);
	return item;
}
