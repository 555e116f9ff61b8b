/** Called before and after each step at which a process can die; production has no observer. */
export type StepObserver = (step: string, edge: "before" | "after") => Promise<void> | void;

/**
 * Every commit and every outbound call of a path that moves money goes through here, under a name
 * of its own: so a test can list them, and kill the process before and after each.
 */
export type Steps<Name extends string> = {
	run<Result>(name: Name, act: () => Promise<Result>): Promise<Result>;
};

/**
 * Makes steps that call an observer; without one they cost nothing. Errors of `act` pass through.
 */
export function createSteps<Name extends string>(observe: StepObserver | null): Steps<Name> {
	if (!observe) return { run: (_name, act) => act() };
	return {
		async run(name, act) {
			await observe(name, "before");
			const result = await act();
			await observe(name, "after");
			return result;
		},
	};
}
