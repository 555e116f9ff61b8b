/** Runs a piece of work once all that came before it has ended; answers what it answers. */
export type Serial = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Runs work one piece after the other, in the order in which it came. A failure stops nobody. */
export function createSerial(): Serial {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const turn = last.then(work);
		last = turn.catch(() => {});
		return turn;
	};
}
