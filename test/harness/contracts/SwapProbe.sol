// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

interface IToken {
	function balanceOf(address account) external view returns (uint256);

	function approve(address spender, uint256 raw) external;
}

/// Stands at a wallet's own address in a simulation: makes the call that the wallet would make, and
/// says how its balances changed. It is never deployed.
contract SwapProbe {
	receive() external payable {}

	/// `allowed`: how much `to` is first allowed to take; 0 leaves that as it is.
	function play(
		address tokenIn,
		address tokenOut,
		address to,
		uint256 allowed,
		uint256 value,
		bytes calldata data
	) external returns (uint256 spent, uint256 received) {
		if (allowed > 0) IToken(tokenIn).approve(to, allowed);
		uint256 inBefore = held(tokenIn);
		uint256 outBefore = held(tokenOut);
		(bool isDone, bytes memory answer) = to.call{value: value}(data);
		if (!isDone) {
			assembly {
				revert(add(answer, 32), mload(answer))
			}
		}
		spent = inBefore - held(tokenIn);
		received = held(tokenOut) - outBefore;
	}

	function held(address token) private view returns (uint256) {
		return token == address(0) ? address(this).balance : IToken(token).balanceOf(address(this));
	}
}
