/** Whether this server is shutting down. This is never undone. */
export type Drain = { begun(): boolean; begin(): void };

export function createDrain(): Drain {
	let begun = false;
	return {
		begun: () => begun,
		begin: () => {
			begun = true;
		},
	};
}
