"""What every call passes before a service sees it: identity, role, time, errors put into words."""

import asyncio
import inspect
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, cast

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from collude.common.errors import ColludeError, PartyFailed, ProtocolViolation, WireInvalid
from collude.common.net.authorisation import authorise
from collude.common.net.faults import to_status
from collude.common.net.identity import peer_name

if TYPE_CHECKING:  # generic only for the type checker
    Context = grpc.aio.ServicerContext[object, object]
    Handler = grpc.RpcMethodHandler[object, object]
    Interceptor = grpc.aio.ServerInterceptor[object, object]
else:
    Context = grpc.aio.ServicerContext
    Handler = grpc.RpcMethodHandler
    Interceptor = grpc.aio.ServerInterceptor

_LOG = logging.getLogger(__name__)

Behaviour = Callable[[object, Context], object]

MOST_CALLS = 64
"""Calls of one party at once. A party that keeps to the rules has two; the rest of those whose
connection broke may not have been noticed yet."""


class Guard(Interceptor):
    """Lets a call through if the certificate names a party whose role may make it."""

    def __init__(self, roster: Collection[str], longest_call_s: float) -> None:
        """Keep the names that may call at all, and how many seconds a call may take at most."""
        self._roster = roster
        self._longest_call_s = longest_call_s
        self._calls: Counter[str] = Counter()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Return the method's handler with the checks in front."""
        handler = cast("Handler | None", await continuation(handler_call_details))
        method = handler_call_details.method
        if handler is None:
            return grpc.unary_unary_rpc_method_handler(self._single(_not_served, method))
        return self._wrapped(handler, method)

    def _wrapped(self, handler: Handler, method: str) -> Handler:
        """Return a handler of the same shape: the one behaviour it has, behind the checks."""
        takes = "stream" if handler.request_streaming else "unary"
        gives = "stream" if handler.response_streaming else "unary"
        behaviour = getattr(handler, f"{takes}_{gives}")
        # A coroutine that writes its answers itself is awaited, however many there are.
        wrap = self._streaming if inspect.isasyncgenfunction(behaviour) else self._single
        guarded = wrap(behaviour, method)
        make = getattr(grpc, f"{takes}_{gives}_rpc_method_handler")
        serialisers = handler.request_deserializer, handler.response_serializer
        return cast("Handler", make(guarded, *serialisers))

    @contextmanager
    def _admitted(self, context: Context, method: str) -> Iterator[None]:
        peer = peer_name(context.auth_context(), self._roster)
        authorise(peer, method)
        if self._calls[peer] >= MOST_CALLS:
            raise ProtocolViolation(
                "too many calls at once", party=peer, field="calls", expected=MOST_CALLS
            )
        self._calls[peer] += 1
        try:
            yield
        finally:
            self._calls[peer] -= 1

    def _time_left(self, context: Context) -> asyncio.Timeout:
        # A caller without a deadline must not hold a place for ever.
        left = cast("float | None", context.time_remaining())
        return asyncio.timeout(min(left or self._longest_call_s, self._longest_call_s))

    def _single(self, behaviour: Behaviour, method: str) -> Behaviour:
        async def guarded(request: object, context: Context) -> object:
            try:
                with self._admitted(context, method):
                    async with self._time_left(context):
                        return await cast("Awaitable[object]", behaviour(request, context))
            except Exception as error:  # noqa: BLE001 -- all are told to the caller
                await _tell(context, method, error)
                return None

        return guarded

    def _streaming(self, behaviour: Behaviour, method: str) -> Behaviour:
        async def guarded(request: object, context: Context) -> None:
            # Not a generator: the time has to run while gRPC waits for a caller to read.
            try:
                with self._admitted(context, method):
                    async with self._time_left(context):
                        # Else gRPC cannot end the call with a reason if it is interrupted in its
                        # first answer.
                        await context.send_initial_metadata(())
                        answers = cast("AsyncGenerator[object]", behaviour(request, context))
                        async with aclosing(answers):
                            async for answer in answers:
                                await context.write(answer)
            except Exception as error:  # noqa: BLE001 -- all are told to the caller
                await _tell(context, method, error)

        return guarded


async def _not_served(_request: object, _context: Context) -> object:
    raise ProtocolViolation("this party does not serve this")


async def _tell(context: Context, method: str, error: Exception) -> None:
    """End the call. The text of an error that is not ours stays here: it may hold a secret."""
    if isinstance(error, grpc.aio.BaseError):
        raise error
    if isinstance(error, TimeoutError):
        # Without details: the caller may ask again while it has time.
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "nothing came in time")
    if isinstance(error, DecodeError):
        # No defect of ours: whoever sends such bytes must not fill the log with tracebacks.
        error = WireInvalid("sent bytes that are no message", field="chunk")
    if not isinstance(error, ColludeError):
        _LOG.error("%s failed", method, exc_info=error)
        error = PartyFailed("failed; its log says why")
    await context.abort(*to_status(error))
