// Reads state tables: which event leads from which state to which.

/** A state machine as data: for each state the events that it takes, each with the next state. */
export type StateTable<State extends string, Event extends string> = Readonly<
	Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** Returns the state after an event; null where the table has no such move. */
export function nextState<State extends string, Event extends string>(
	table: StateTable<State, Event>,
	from: State,
	event: Event,
): State | null {
	// Own members alone: a state or event that comes from outside may be called `toString`.
	if (!Object.hasOwn(table, from)) return null;
	const moves = table[from];
	return Object.hasOwn(moves, event) ? (moves[event] ?? null) : null;
}

/** Returns every state that takes an event, with the state after it, in the table's order. */
export function movesBy<State extends string, Event extends string>(
	table: StateTable<State, Event>,
	event: Event,
): { from: State; to: State }[] {
	return statesOf(table).flatMap((from) => {
		const to = nextState(table, from, event);
		return to === null ? [] : [{ from, to }];
	});
}

function statesOf<State extends string>(table: Readonly<Record<State, unknown>>): State[] {
	return Object.keys(table) as State[];
}
