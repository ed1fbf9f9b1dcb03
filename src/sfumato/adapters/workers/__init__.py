"""Where jobs run that may have to be stopped: processes of their own, with limits of time and memory."""
