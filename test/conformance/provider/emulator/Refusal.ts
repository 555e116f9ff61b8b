/** The provider says no, as its document describes errors (`V1ErrorWrapper`). */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}

	body(): unknown {
		return { errors: [this.message] };
	}
}
