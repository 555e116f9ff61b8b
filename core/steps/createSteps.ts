import type { StepObserver, Steps } from "#core/steps/Steps.ts";

/** Steps that tell an observer; without one they cost nothing. What `act` throws passes through. */
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
