/** A promise that was broken, and how. */
export type Wrong = {
	about: "rows" | "convergence" | "fencing" | "frames" | "hints";
	what: string;
};
