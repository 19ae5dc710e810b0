"""Everything that may travel between two parties, of all protocols."""

from collude.common.protocol.codef_messages import CodefMessage
from collude.common.protocol.messages import Message
from collude.common.protocol.release_messages import ReleaseMessage
from collude.common.protocol.secagg_messages import ToClient, ToServer

AnyMessage = Message | CodefMessage | ToClient | ToServer | ReleaseMessage
