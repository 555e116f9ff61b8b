/** Whether this server has begun to go away. It never comes back. */
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
