import type { FormItem } from "#agent/grammar/parseForm.ts";
import type { Command, Slot } from "#core/plugin/Command.ts";

/** A state of the search in all forms: which words may come next, and which commands end here. */
export type Node = {
	words: ReadonlyMap<string, Node>;
	/** In the order of trying: slots with few possible values first, names last. */
	slots: readonly SlotEdge[];
	ends: readonly Command[];
	/** All commands that are still possible. */
	commands: ReadonlySet<Command>;
};

export type SlotEdge = { name: string; slot: Slot; to: Node };

/**
 * Compiles the forms of many commands into one graph, in which each word of a text is looked up
 * once, however many forms begin with it.
 *
 * Forms are built from their ends (so the tail `[on {chain}]` exists once per command); then states
 * that the same words lead to become one state (subset construction).
 */
export function compileForms(commands: readonly { command: Command; forms: FormItem[][] }[]): Node {
	const memo = new Map<string, Node>();
	const states: State[] = [];

	function newState(part: Partial<Omit<State, "id">>): State {
		const state = { id: states.length, words: [], slots: [], ends: [], ...part };
		states.push(state);
		return state;
	}

	function compile(items: FormItem[], next: State, command: Command): State {
		return items.reduceRight((after, item) => {
			if (item.kind === "word") return newState({ words: [[item.word, after]] });
			if (item.kind === "slot") {
				const slot = command.slots[item.name];
				return slot ? newState({ slots: [{ name: item.name, slot, to: after }] }) : after;
			}
			return join(item.options.map((option) => compile(option, after, command)));
		}, next);
	}

	function join(several: State[]): State {
		return newState({
			words: several.flatMap(({ words }) => words),
			slots: several.flatMap(({ slots }) => slots),
			ends: several.flatMap(({ ends }) => ends),
		});
	}

	/** Returns one node that stands for several states at once. */
	function nodeOf(several: State[]): Node {
		const ids = [...new Set(several)].sort((a, b) => a.id - b.id);
		const key = ids.map(({ id }) => id).join();
		const known = memo.get(key);
		if (known) return known;
		const words = group(
			ids.flatMap((state) => state.words.map(([word, to]) => ({ key: word, to }))),
		);
		const edges = ids.flatMap((state) => state.slots);
		const slots = group(edges.map(({ name, slot, to }) => ({ key: keyOf(name, slot), to })));
		const ends = [...new Set(ids.flatMap((state) => state.ends))];
		const node = {
			words: new Map([...words].map(([word, to]) => [word, nodeOf(to)])),
			slots: [...slots]
				.flatMap(([slotKey, to]) => {
					const edge = edges.find(({ name, slot }) => keyOf(name, slot) === slotKey);
					return edge ? [{ name: edge.name, slot: edge.slot, to: nodeOf(to) }] : [];
				})
				.sort((a, b) => ORDER.indexOf(a.slot.kind) - ORDER.indexOf(b.slot.kind)),
			ends,
			commands: new Set<Command>(),
		};
		for (const command of ends) node.commands.add(command);
		for (const after of [...node.words.values(), ...node.slots.map(({ to }) => to)]) {
			for (const command of after.commands) node.commands.add(command);
		}
		memo.set(key, node);
		return node;
	}

	return nodeOf(
		commands.flatMap(({ command, forms }) => {
			const end = newState({ ends: [command] });
			return forms.map((form) => compile(form, end, command));
		}),
	);
}

type State = {
	id: number;
	words: [string, State][];
	slots: { name: string; slot: Slot; to: State }[];
	ends: Command[];
};

/** Names take nearly any word, so they are tried last. */
const ORDER: readonly Slot["kind"][] = [
	...(["word", "address", "percent", "id", "window", "chain", "amount", "token"] as const),
	...(["asset", "collection"] as const),
];

function keyOf(name: string, slot: Slot): string {
	const { kind } = slot;
	const terms = kind === "word" ? slot.of.join(" ") : kind === "token" && slot.hasSign ? "#" : "";
	return `${name} ${kind} ${terms}`;
}

function group(edges: { key: string; to: State }[]): Map<string, State[]> {
	const groups = new Map<string, State[]>();
	for (const { key, to } of edges) groups.set(key, [...(groups.get(key) ?? []), to]);
	return groups;
}
